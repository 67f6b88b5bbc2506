#!/usr/bin/env python3
"""conda.py SOURCE: rattler-build's parser renders packaging/conda/recipe.yaml, and the recipe asks for what pyproject.toml and the
library need. Exit code 77, which means skipped, without the package py-rattler-build. Nothing is built."""
import re
import sys
from pathlib import Path

try:
    import rattler_build
    from rattler_build.tool_config import PlatformConfig
except ImportError:
    print("skipped: the Python package py-rattler-build is not installed")
    sys.exit(77)

top = Path(sys.argv[1])
recipe = rattler_build.Stage0Recipe.from_file(top / "packaging/conda/recipe.yaml")
platform = rattler_build.RenderConfig(platform=PlatformConfig(target_platform="linux-64"))
outputs = {}
for variant in recipe.render(rattler_build.VariantConfig({"c_compiler": ["gcc"]}), platform):
    output = variant.recipe.to_dict()
    outputs[output["package"]["name"]] = output
print("rendered:", *sorted(outputs))
assert sorted(outputs) == ["gsolve", "pygsolve"], outputs.keys()
dependencies = re.findall(r'"([^"]+)"', re.search(r"^dependencies = \[(.*)\]", (top / "pyproject.toml").read_text(), re.M)[1])
run = [str(name).replace(" ", "") for name in outputs["pygsolve"]["requirements"]["run"]]
assert set(dependencies) <= set(run), f"pyproject.toml needs {dependencies}, the recipe has {run}"
