import fs from 'node:fs';
import path from 'node:path';
import prettier from 'prettier';
import { jsonSchemas } from '../dist/config/json-schemas.js';

// `npm run schemas`: writes the JSON Schemas for editors from the forms by which files are read.
const folder = path.join(import.meta.dirname, '..', 'config', 'schemas');
fs.mkdirSync(folder, { recursive: true });
for (const [name, schema] of Object.entries(jsonSchemas())) {
  const file = path.join(folder, name);
  const options = await prettier.resolveConfig(file);
  const text = await prettier.format(JSON.stringify(schema), { ...options, filepath: file });
  fs.writeFileSync(file, text);
}
