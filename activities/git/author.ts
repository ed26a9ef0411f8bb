import { loadProjectConfig } from '../../config/project-config.ts';
import type { RunPlace } from '../../workflows/domain/agent.ts';
import type { Author } from './fixed-commit.ts';

/** Who our commits are by: what the settings of project or installation name, or ourselves. */
export async function authorOf({ ralphDir }: Pick<RunPlace, 'ralphDir'>): Promise<Author> {
  const { git } = await loadProjectConfig(ralphDir, process.env);
  return { name: git.author_name, email: git.author_email };
}
