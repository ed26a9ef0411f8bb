import { loadProjectConfig } from '../../config/project-config.ts';
import type { RunPlace } from '../../workflows/domain/agent.ts';
import { AUTHOR } from './borrowing-repository.ts';
import type { Author } from './fixed-commit.ts';

/** Who our commits are by: what `.ralph/config.json` names, or ourselves. */
export async function authorOf({ ralphDir }: Pick<RunPlace, 'ralphDir'>): Promise<Author> {
  const { git } = await loadProjectConfig(ralphDir);
  return { name: git.author_name ?? AUTHOR.name, email: git.author_email ?? AUTHOR.email };
}
