import importlib.util
import os


def test_the_manual_of_the_screens_says_what_their_files_say() -> None:
    """docs/screens.md is what docs/screens.py writes from the screen files and commands of now."""
    folder = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "docs")
    spec = importlib.util.spec_from_file_location("manual", os.path.join(folder, "screens.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with open(os.path.join(folder, "screens.md"), encoding="utf-8") as stream:
        written = stream.read()

    assert module.manual() == written
