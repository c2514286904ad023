"""Turns records into tables and figures for people.

Reads records and nothing else: no world, no policy. matplotlib and rich load when something is drawn.
"""
