"""Commands about editors and judges: `editors`, `serve-editor`, `worker`, `judge` and `prompts`."""
