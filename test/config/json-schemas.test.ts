import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import Ajv from 'ajv';
import { readFrontMatter } from '../../config/front-matter.ts';
import { jsonSchemas } from '../../config/json-schemas.ts';
import { packageRoot } from '../../config/package-root.ts';
import {
  AGENTS_WORDS,
  CONFIG_WORDS,
  FRONT_MATTER_WORDS,
  PIPELINE_WORDS,
  type Words,
} from '../../config/schema-words.ts';

const CONFIG = path.join(packageRoot(), 'config');
const readJson = async (...names: string[]): Promise<unknown> =>
  JSON.parse(await readFile(path.join(CONFIG, ...names), 'utf8'));

/** What a schema says of a value; nothing when it is right. */
function faultsOf(name: string, value: unknown): string[] {
  const ajv = new Ajv({ allErrors: true });
  ajv.validate(jsonSchemas()[name] ?? false, value);
  return (ajv.errors ?? []).map(({ dataPath, message }) => `${dataPath} ${message}`);
}

/** Every key of a schema with its description, at any depth. */
function keysOf(schema: unknown): [string, unknown][] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([name, value]: [string, unknown]) =>
    name !== 'properties'
      ? keysOf(value)
      : Object.entries(value as Record<string, { description?: unknown; $ref?: string }>).flatMap(
          ([key, inner]): [string, unknown][] => [
            // The results under `on_result` are handlers, explained there.
            ...(inner.$ref ? [] : [[key, inner.description] as [string, unknown]]),
            ...keysOf(inner),
          ],
        ),
  );
}

describe('the JSON Schemas for editors', () => {
  it('are what the files are read by; `npm run schemas` writes them anew', async () => {
    const files = (await readdir(path.join(CONFIG, 'schemas'))).sort();
    expect(files).toEqual(Object.keys(jsonSchemas()).sort());
    for (const [name, schema] of Object.entries(jsonSchemas()))
      expect([name, await readJson('schemas', name)]).toEqual([
        name,
        JSON.parse(JSON.stringify(schema)),
      ]);
  });

  it.each<[string, Words]>([
    ['pipeline.schema.json', PIPELINE_WORDS],
    ['agents.schema.json', AGENTS_WORDS],
    ['config.schema.json', CONFIG_WORDS],
    ['agent-front-matter.schema.json', FRONT_MATTER_WORDS],
  ])('explain every key of %s, and no other', (name, words) => {
    const keys = keysOf(jsonSchemas()[name]);
    expect(keys.filter(([, description]) => typeof description !== 'string')).toEqual([]);
    expect([...new Set(keys.map(([key]) => key))].sort()).toEqual(Object.keys(words).sort());
  });

  it('accept every shipped pipeline, agent and setting', async () => {
    for (const name of await readdir(path.join(CONFIG, 'pipelines')))
      expect([name, faultsOf('pipeline.schema.json', await readJson('pipelines', name))]).toEqual([
        name,
        [],
      ]);
    expect(faultsOf('agents.schema.json', await readJson('agents.json'))).toEqual([]);
    const agents = await readdir(path.join(CONFIG, 'agents'), { recursive: true });
    for (const name of agents.filter((file) => file.endsWith('.md'))) {
      const { data } = readFrontMatter(await readFile(path.join(CONFIG, 'agents', name), 'utf8'));
      expect([name, faultsOf('agent-front-matter.schema.json', data)]).toEqual([name, []]);
    }
  });

  it('see a fault in a handler inside a handler', () => {
    const inner = { agent: 'a.c', on_result: { PASS: { jmup: 'self' } } };
    const pipeline = (handler: object) => ({
      steps: [{ id: 'a', agent: 'a.b', on_result: { FIX: { agent: 'a.d', on_result: handler } } }],
    });
    expect(faultsOf('pipeline.schema.json', pipeline({ OWN: inner }))).not.toEqual([]);
    const right = { ...inner, on_result: { PASS: { jump: 'self' } } };
    expect(faultsOf('pipeline.schema.json', pipeline({ OWN: right }))).toEqual([]);
  });

  it.each<[string, unknown]>([
    ['pipeline.schema.json', { steps: [] }],
    ['pipeline.schema.json', { steps: [{ id: 'A', agent: 'x.y' }] }],
    ['agents.schema.json', { agents: { 'a.b': { max_turns: 201 } } }],
    ['config.schema.json', { hooks: { commands: { lint: 'npm run lint' } } }],
    ['agent-front-matter.schema.json', { type: 'a.b' }],
  ])('%s refuses what the program refuses', (name, value) => {
    expect(faultsOf(name, value)).not.toEqual([]);
  });
});
