"""Run every benchmark, one after the other: `python -m benchmarks [--quick] [names]`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
QUICK = {"solvers": ["--quick"], "policies": ["--rounds", "50"], "compare": ["30"]}  # what makes each one short


def main() -> None:
    quick, names = "--quick" in sys.argv, [word for word in sys.argv[1:] if word != "--quick"]
    known = sorted(path.stem for path in HERE.glob("*.py") if path != Path(__file__))
    if unknown := set(names) - set(known):
        sys.exit(f"no benchmark {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    failed = []
    for name in names or known:
        print(f"\n## {name}\n", flush=True)
        if subprocess.run([sys.executable, HERE / f"{name}.py", *(QUICK.get(name, []) if quick else [])]).returncode:
            failed.append(name)
    sys.exit(f"\nfailed: {', '.join(failed)}" if failed else 0)


if __name__ == "__main__":
    main()
