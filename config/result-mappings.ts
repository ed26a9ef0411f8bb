import { z } from 'zod';
import { DEFAULT_MAPPINGS, own, type ResultMappings } from '../workflows/domain/steps.ts';

/** A result's name, as a key or a value. */
export const resultName = z
  .string()
  .regex(/^[A-Z]{3,10}$/, 'a result name has 3 to 10 capital letters, like PASS');

export const MAPPING_KEYS = ['status', 'exit_code', 'default_jump'];

/** `result_mappings` of a pipeline or of agents.json; the usual results may leave out what stays as it is. */
export const resultMappings = z
  .record(
    resultName,
    z.strictObject({
      status: z.enum(['success', 'failure', 'partial', 'unknown']).optional(),
      exit_code: z.int().min(0).max(255).optional(),
      default_jump: z.string().trim().min(1).optional(),
    }),
  )
  .transform((mappings, context): ResultMappings => {
    const entries = Object.entries(mappings).map(([result, given]) => {
      const usual = own(DEFAULT_MAPPINGS, result);
      const status = given.status ?? usual?.status;
      const exitCode = given.exit_code ?? usual?.exitCode;
      const defaultJump = given.default_jump ?? usual?.defaultJump;
      if (status !== undefined && exitCode !== undefined && defaultJump !== undefined)
        return [result, { status, exitCode, defaultJump }] as const;
      const missing = MAPPING_KEYS.filter((key) => !Object.hasOwn(given, key)).join(', ');
      context.addIssue({
        code: 'custom',
        path: [result],
        message: `a result of one's own needs all of ${MAPPING_KEYS.join(', ')}; missing: ${missing}`,
      });
      return [result, { status: 'unknown', exitCode: 1, defaultJump: 'abort' }] as const;
    });
    return Object.fromEntries(entries);
  });
