"""Choose the clients of hierarchical federated learning online: learned, affordable, on time."""
