import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import type { RunPlace } from '../../workflows/domain/agent.ts';
import { WiggumError } from '../../workflows/domain/errors.ts';
import type { Pinned } from './borrowing-repository.ts';
import { runKey } from './run-names.ts';

/** Says whose a task repository is and what it was made from; lies in the repository itself. */
export interface WorkspaceMarker {
  key: string;
  base: string;
  target: string;
  pinned: Pinned;
}

const markerSchema = z.object({
  key: z.string(),
  base: z.string().regex(/^[0-9a-f]{40,64}$/),
  target: z.string().min(1),
  pinned: z.object({
    objectFormat: z.enum(['sha1', 'sha256']),
    fileMode: z.boolean(),
    ignoreCase: z.boolean(),
    precomposeUnicode: z.boolean(),
  }),
}) satisfies z.ZodType<WorkspaceMarker>;

/** Writes the marker into a repository that is being made. */
export async function writeMarker(gitDir: string, marker: WorkspaceMarker): Promise<void> {
  await writeFile(markerFile(gitDir), `${JSON.stringify(marker, null, 2)}\n`);
}

/** Reads the marker of a task repository; a repository without ours is refused. */
export async function readMarker(gitDir: string, place: RunPlace): Promise<WorkspaceMarker> {
  const text = await readFile(markerFile(gitDir), 'utf8').catch(() => '');
  const parsed = markerSchema.safeParse(parseJson(text));
  if (!parsed.success || parsed.data.key !== runKey(place))
    throw new WiggumError('WORKSPACE_FOREIGN', `${gitDir} was not made for ${runKey(place)}`, {
      where: gitDir,
    });
  return parsed.data;
}

function markerFile(gitDir: string): string {
  return path.join(gitDir, 'wiggum-workspace.json');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
