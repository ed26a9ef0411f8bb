import type { Client } from '@temporalio/client';
import type { Project } from '../config/project.ts';
import type { Environment } from '../config/state-dir.ts';
import { boardUsage } from './board-usage.ts';
import type { BoardView } from './board-view.ts';
import { withReasons } from './failure-reasons.ts';
import { readFileView, type OpenRun } from './file-view.ts';
import {
  findHost,
  withRunningServer,
  type HostHolder,
  type ResolvedConnection,
} from './hosting.ts';
import { watchBoard, type Look } from './watch-board.ts';

/** Everything `status` knows: the board, who works on it, and where the server is. */
export interface BoardReport {
  project: string;
  host: Pick<HostHolder, 'pid' | 'purpose' | 'since'> | null;
  server: { address: string; uiUrl: string | null } | null;
  /** Who told the rows: the board's workflow, or the files when it cannot be asked. */
  source: 'workflow' | 'files';
  /** What a person should know about the above. */
  notices: string[];
  view: BoardView;
}

export interface Reporting {
  project: Project;
  environment: Environment;
  /** Takes one report; tells whether another one is wanted. */
  take: (report: BoardReport) => Promise<boolean>;
}

const INDEX_MS = 3_000;

/** Reports on a board as long as its taker wants; changes nothing and starts nothing. */
export async function reportBoard({ take, ...about }: Reporting): Promise<void> {
  const total = boardUsage(about.project.ralphDir);
  await reportWhile({
    ...about,
    take: async ({ view, ...report }) =>
      take({ ...report, view: { ...view, usage: await total(view.tasks) } }),
  });
}

/** Reports on a board once, without adding up what all of its runs used. */
export async function lookAtBoard(about: Omit<Reporting, 'take'>): Promise<BoardReport> {
  const seen: BoardReport[] = [];
  const take = (report: BoardReport) => {
    seen.push(report);
    return Promise.resolve(false);
  };
  await reportWhile({ ...about, take });
  const [report] = seen;
  if (!report) throw new Error('the board was not reported');
  return report;
}

async function reportWhile({ project, environment, take }: Reporting): Promise<void> {
  for (;;) {
    const asked = await withRunningServer(environment, (client, connection) =>
      reportThrough(client, connection, { project, take }),
    );
    if (asked === 'enough') return;
    if (asked === 'server-gone') continue;
    const report = await fileReport(project, { notices: [asked.noServer] });
    if (!(await take(report))) return;
  }
}

/** Stays on one connection while the server answers: another one may come up elsewhere. */
async function reportThrough(
  client: Client,
  { address, uiUrl }: ResolvedConnection,
  { project, take }: Pick<Reporting, 'project' | 'take'>,
): Promise<'enough' | 'server-gone'> {
  const look = withReasons(watchBoard(client, project.id), project.ralphDir);
  const server = { address, uiUrl: uiUrl ?? null };
  for (;;) {
    const host = await findHost(project.ralphDir);
    // Without a host nobody answers for the workflow: asking would only wait.
    const seen: Look = host ? await look() : { kind: 'no-sweep' };
    const report =
      seen.kind === 'view'
        ? workflowReport(project, { host, server, view: seen.view })
        : await fileReport(project, {
            host,
            server,
            open: host ? new Map() : await openRuns(client, project.id),
            notices:
              seen.kind === 'unanswered'
                ? [`the board's workflow does not answer (${seen.reason}); this is from the files`]
                : [],
          });
    if (!(await take(report))) return 'enough';
    if (seen.kind === 'unanswered') return 'server-gone';
  }
}

interface Around {
  host?: HostHolder | undefined;
  server?: BoardReport['server'];
}

function workflowReport(
  project: Project,
  { host, server, view }: Around & { view: BoardView },
): BoardReport {
  return { ...around(project, { host, server }), source: 'workflow', notices: [], view };
}

async function fileReport(
  project: Project,
  {
    host,
    server,
    open,
    notices,
  }: Around & { open?: ReadonlyMap<string, OpenRun>; notices: string[] },
): Promise<BoardReport> {
  const view = await readFileView(project.ralphDir, open);
  return { ...around(project, { host, server }), source: 'files', notices, view };
}

function around(project: Project, { host, server }: Around) {
  return {
    project: project.id,
    host: host ? { pid: host.pid, purpose: host.purpose, since: host.since } : null,
    server: server ?? null,
  };
}

/** The open tasks, from the server's index, which answers without any host. */
async function openRuns(client: Client, project: string): Promise<Map<string, OpenRun>> {
  const open = new Map<string, OpenRun>();
  try {
    await client.withDeadline(Date.now() + INDEX_MS, async () => {
      const query = `WiggumProject = "${project}" AND ExecutionStatus = "Running"`;
      for await (const { workflowId, searchAttributes } of client.workflow.list({ query })) {
        const [task] = workflowId.match(/[^/]+$/) ?? [];
        const step = searchAttributes['WiggumStep']?.[0];
        const known = typeof step === 'string' && step !== '-';
        if (task !== undefined) open.set(task, known ? { step } : {});
      }
    });
  } catch {
    // A server that was not prepared for us knows no such attribute; the files still tell the rest.
  }
  return open;
}
