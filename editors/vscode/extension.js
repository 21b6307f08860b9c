// Starts `rulespec lsp` for the files of rulesets.

const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = () => {
  const settings = workspace.getConfiguration("rulespec");
  const server = { command: settings.get("command"), args: ["lsp"] };
  const documentSelector = settings.get("files").map((pattern) => ({ scheme: "file", pattern }));
  const synchronize = { fileEvents: workspace.createFileSystemWatcher("**/*.{rules,yaml,csv}") };
  client = new LanguageClient("rulespec", "Rulespec", server, { documentSelector, synchronize });
  return client.start();
};

exports.deactivate = () => client && client.stop();
