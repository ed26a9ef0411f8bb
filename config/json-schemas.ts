import { z } from 'zod';
import { DEFAULT_MAPPINGS, own, RELATIVE_JUMPS } from '../workflows/domain/steps.ts';
import { FRONT_MATTER_FORM } from './agent-file.ts';
import { AGENTS_FORM } from './agent-settings.ts';
import { CONFIG_FORM } from './config-file.ts';
import { PIPELINE_FORMS } from './pipeline-file.ts';
import {
  AGENTS_WORDS,
  CONFIG_WORDS,
  FRONT_MATTER_WORDS,
  PIPELINE_WORDS,
  type Words,
} from './schema-words.ts';

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** Schemas of the files that people write, by file name; editors complete and check by them. */
export function jsonSchemas(): Record<string, JsonSchema> {
  return {
    'pipeline.schema.json': titled('A pipeline of Chief Wiggum', pipelineSchema(), PIPELINE_WORDS),
    'agents.schema.json': titled('agents.json of Chief Wiggum', plain(AGENTS_FORM), AGENTS_WORDS),
    'config.schema.json': titled('config.json of Chief Wiggum', plain(CONFIG_FORM), CONFIG_WORDS),
    'agent-front-matter.schema.json': titled(
      'Front matter of an agent of Chief Wiggum',
      plain(FRONT_MATTER_FORM),
      FRONT_MATTER_WORDS,
    ),
  };
}

const HANDLER = { $ref: '#/definitions/handler' };

/** A handler is read by code of its own, so its two forms are put in here; they nest by reference. */
function pipelineSchema(): JsonSchema {
  const { root, jump, inline } = PIPELINE_FORMS;
  const definition = (form: z.ZodType): JsonSchema => {
    const { $schema: _, ...schema } = plain(form);
    return schema;
  };
  return {
    ...plain(root),
    definitions: {
      handler: { anyOf: [{ $ref: '#/definitions/jump' }, { $ref: '#/definitions/inline' }] },
      jump: definition(jump),
      inline: definition(inline),
    },
  };
}

function plain(form: z.ZodType): JsonSchema {
  return z.toJSONSchema(form, {
    io: 'input',
    // The one that every editor knows.
    target: 'draft-7',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      if (Object.is(zodSchema, PIPELINE_FORMS.handler)) Object.assign(jsonSchema, HANDLER);
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
}

function titled(title: string, schema: JsonSchema, words: Words): JsonSchema {
  const { $schema, ...rest } = explain(schema, words);
  return { ...($schema !== undefined && { $schema }), title, ...rest };
}

/** Says at every key what it means, and at results and jumps which ones there always are. */
function explain(schema: JsonSchema, words: Words): JsonSchema {
  return Object.fromEntries(
    Object.entries(schema).map(([name, value]: [string, unknown]) => {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return [name, value];
      if (name !== 'properties') return [name, explain(value as JsonSchema, words)];
      const keys = Object.entries(value).map(([key, inner]) => [
        key,
        { description: own(words, key), ...withChoices(key, explain(inner as JsonSchema, words)) },
      ]);
      return [name, Object.fromEntries(keys)];
    }),
  );
}

function withChoices(key: string, schema: JsonSchema): JsonSchema {
  if (['jump', 'on_max', 'default_jump'].includes(key))
    return { ...schema, anyOf: [{ enum: [...RELATIVE_JUMPS] }, {}] };
  if (key !== 'on_result') return schema;
  const results = Object.keys(DEFAULT_MAPPINGS).map((result) => [result, HANDLER]);
  return { ...schema, properties: Object.fromEntries(results) as Record<string, JsonSchema> };
}
