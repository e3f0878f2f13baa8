#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds a package of the VS Code extension, without a network.

The package contains the files of editors/vscode and the modules that `npm install --omit=dev` has put into its
node_modules. Equal files give an equal package. `--colours-only` leaves out the language client, and needs no modules.
"""

import argparse
import json
import pathlib
import sys
import xml.sax.saxutils as xml
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
# Media types by the endings of files, for [Content_Types].xml.
TYPES = {"json": "application/json", "js": "application/javascript", "md": "text/markdown", "txt": "text/plain",
         "vsixmanifest": "text/xml"}
EXTENSION, CODE = "extension", "Microsoft.VisualStudio.Code"


def read_manifest(folder: pathlib.Path, colours_only: bool) -> dict:
    package = json.loads((folder / "package.json").read_text())
    if colours_only:
        # The language client is the only code, and has the only settings.
        for key in ("main", "activationEvents", "dependencies", "capabilities"):
            del package[key]
        del package["contributes"]["configuration"]
    return package


def list_files(folder: pathlib.Path, colours_only: bool) -> dict:
    """Returns the contents of files by their paths in the extension."""
    def list_below(pattern: str) -> list:
        return [path.relative_to(folder).as_posix() for path in folder.glob(pattern)
                if path.is_file() and ".bin" not in path.parts]

    names = ["language-configuration.json", *list_below("syntaxes/*")]
    if not colours_only:
        modules = folder / "node_modules"
        package = json.loads((folder / "package.json").read_text())
        missing = [name for name in package["dependencies"] if not (modules / name / "package.json").is_file()]
        if missing:
            sys.exit(f"build_vsix.py: error: {modules} lacks {', '.join(missing)}; run `npm install --omit=dev` "
                     f"in {folder}, or use --colours-only")
        names += ["extension.js", *list_below("node_modules/**/*")]
    files = {name: (folder / name).read_bytes() for name in sorted(names)}
    files["LICENSE.txt"] = (HERE.parent / "LICENSE").read_bytes()
    files["README.md"] = (folder / "README.md").read_bytes()
    return files


def make_vsix_manifest(package: dict) -> str:
    """Returns the manifest that the Marketplace and the editor read before package.json."""
    quote = xml.quoteattr
    properties = {CODE + ".Engine": package["engines"]["vscode"], CODE + ".ExtensionDependencies": "",
                  CODE + ".ExtensionPack": "", CODE + ".ExtensionKind": "workspace"}
    assets = {CODE + ".Manifest": "package.json", "Microsoft.VisualStudio.Services.Content.Details": "README.md",
              "Microsoft.VisualStudio.Services.Content.License": "LICENSE.txt"}
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        '<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">',
        "  <Metadata>",
        f'    <Identity Language="en-US" Id={quote(package["name"])} Version={quote(package["version"])} '
        f'Publisher={quote(package["publisher"])}/>',
        f'    <DisplayName>{xml.escape(package["displayName"])}</DisplayName>',
        f'    <Description xml:space="preserve">{xml.escape(package["description"])}</Description>',
        f'    <Categories>{xml.escape(",".join(package["categories"]))}</Categories>',
        "    <Properties>",
        *(f"      <Property Id={quote(name)} Value={quote(value)}/>" for name, value in properties.items()),
        "    </Properties>",
        f"    <License>{EXTENSION}/LICENSE.txt</License>",
        "  </Metadata>",
        "  <Installation>",
        f'    <InstallationTarget Id="{CODE}"/>',
        "  </Installation>",
        "  <Dependencies/>",
        "  <Assets>",
        *(f'    <Asset Type="{kind}" Path="{EXTENSION}/{name}" Addressable="true"/>' for kind, name in assets.items()),
        "  </Assets>",
        "</PackageManifest>",
    ]
    return "\n".join(lines) + "\n"


def make_content_types(names: list) -> str:
    endings = sorted({pathlib.PurePosixPath(name).suffix[1:] for name in names} - {""})
    types = "".join(f'<Default Extension={xml.quoteattr("." + ending)} ContentType={xml.quoteattr(kind)}/>'
                    for ending in endings for kind in [TYPES.get(ending, "application/octet-stream")])
    return ('<?xml version="1.0" encoding="utf-8"?>\n'
            f'<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">{types}</Types>\n')


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], epilog="EXAMPLES:\n\n"
                                     "  editors/build_vsix.py --colours-only\n"
                                     "  code --install-extension tessera-tile-0.1.0.vsix\n",
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", metavar="FILE", type=pathlib.Path,
                        help="the package (default: NAME-VERSION.vsix)")
    parser.add_argument("--colours-only", action="store_true", help="leave out the language client and its modules")
    parser.add_argument("--folder", type=pathlib.Path, default=HERE / "vscode", help=argparse.SUPPRESS)
    options = parser.parse_args()
    package = read_manifest(options.folder, options.colours_only)
    files = list_files(options.folder, options.colours_only)
    files["package.json"] = (json.dumps(package, indent=2, ensure_ascii=False) + "\n").encode()
    contents = {"extension.vsixmanifest": make_vsix_manifest(package).encode(),
                **{f"{EXTENSION}/{name}": files[name] for name in sorted(files)}}
    contents = {"[Content_Types].xml": make_content_types(list(contents)).encode(), **contents}
    output = options.output or pathlib.Path(f"{package['name']}-{package['version']}.vsix")
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in contents.items():
            # The default time of an entry is fixed.
            entry = zipfile.ZipInfo(name)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(entry, data)
    print(f"{output}: {len(contents)} files, {output.stat().st_size} bytes")


if __name__ == "__main__":
    main()
