// Starts tile-lsp-server for the open sources, with the settings of the workspace.
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

async function start() {
  const settings = vscode.workspace.getConfiguration("tile");
  const server = { command: settings.get("server.path"), args: settings.get("server.arguments") };
  const languages = settings.get("server.mlir") ? ["tile", "mlir"] : ["tile"];
  client = new LanguageClient("tile", "Tessera", server, {
    documentSelector: languages.map((language) => ({ language })),
    initializationOptions: { defines: settings.get("defines") },
  });
  await client.start();
}

async function stop() {
  if (client) {
    await client.stop();
    client = undefined;
  }
}

async function activate(context) {
  const restart = async (event) => {
    if (event.affectsConfiguration("tile")) {
      await stop();
      await start();
    }
  };
  context.subscriptions.push(vscode.workspace.onDidChangeConfiguration(restart));
  await start();
}

module.exports = { activate, deactivate: stop };
