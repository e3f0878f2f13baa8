"""Builds packages of the VS Code extension and checks them as an editor reads them. Usage: vsix.py ROOT SCRATCH"""

import json
import pathlib
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
import zipfile

from editor_files import check_extension, expect

VSX = "{http://schemas.microsoft.com/developer/vsx-schema/2011}"
TYPES = "{http://schemas.openxmlformats.org/package/2006/content-types}"


def build(root, *options, status=0):
    command = [sys.executable, root / "editors/build_vsix.py", *options]
    done = subprocess.run(command, capture_output=True, text=True)
    expect(done.returncode, status, f"{options}: {done.stderr}")
    return done.stdout + done.stderr


def check_package(path, folder):
    """Checks the parts that an editor reads before package.json, and unpacks the extension into a folder."""
    with zipfile.ZipFile(path) as archive:
        expect(archive.testzip(), None, "damaged files")
        names = archive.namelist()
        archive.extractall(folder)
    expect(names[:2], ["[Content_Types].xml", "extension.vsixmanifest"], "the first files")
    package = json.loads((folder / "extension/package.json").read_text())
    manifest = ElementTree.parse(folder / "extension.vsixmanifest").getroot()
    identity = manifest.find(f"{VSX}Metadata/{VSX}Identity")
    for key, name in (("Id", "name"), ("Version", "version"), ("Publisher", "publisher")):
        expect(identity.get(key), package[name], key)
    properties = {entry.get("Id"): entry.get("Value") for entry in manifest.iter(f"{VSX}Property")}
    expect([properties["Microsoft.VisualStudio.Code.Engine"]], [package["engines"]["vscode"]], "the engine")
    assets = [asset.get("Path") for asset in manifest.iter(f"{VSX}Asset")] + [manifest.find(f".//{VSX}License").text]
    expect([name for name in assets if name not in names], [], "assets without a file")
    types = {entry.get("Extension") for entry in ElementTree.parse(folder / "[Content_Types].xml").getroot()}
    endings = {pathlib.PurePosixPath(name).suffix for name in names[1:]} - {""}
    expect(types, endings, "endings with a media type")
    contributes = package["contributes"]
    for entry in (contributes["languages"][0]["configuration"], contributes["grammars"][0]["path"]):
        json.loads((folder / "extension" / entry).read_text())
    return package


def main():
    root, scratch = map(pathlib.Path, sys.argv[1:])
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)

    # Colours need no modules. Equal files give equal bytes.
    build(root, "--colours-only", "-o", scratch / "colours.vsix")
    build(root, "--colours-only", "-o", scratch / "again.vsix")
    expect((scratch / "colours.vsix").read_bytes(), (scratch / "again.vsix").read_bytes(), "a second package")
    package = check_package(scratch / "colours.vsix", scratch / "colours")
    expect([key for key in ("main", "dependencies") if key in package], [], "code in a package of colours")

    # With the client: a copy of the extension whose module is a stub, as the editor runs it.
    copy = scratch / "vscode"
    shutil.copytree(root / "editors/vscode", copy, ignore=shutil.ignore_patterns("node_modules"))
    message = build(root, "--folder", copy, "-o", scratch / "client.vsix", status=1)
    expect("lacks vscode-languageclient; run `npm install --omit=dev`" in message, True, message)
    module = copy / "node_modules/vscode-languageclient"
    module.mkdir(parents=True)
    (module / "package.json").write_text("{}")
    build(root, "--folder", copy, "-o", scratch / "client.vsix")
    check_package(scratch / "client.vsix", scratch / "client")
    check_extension(scratch / "client/extension")
    expect((scratch / "client/extension/node_modules/vscode-languageclient/package.json").is_file(), True, "the module")
    print("2 packages")


if __name__ == "__main__":
    main()
