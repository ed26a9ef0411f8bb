// The scripted agent: a program like any other agent, but it does what its plan says. Killed in the
// middle, it goes on in the same session at the action that it had not finished.
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const LOOK_EVERY_MS = 50;
const OUTPUT_CHARACTERS = 2_000;

const plan = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const prompt = readFileSync(0, 'utf8');
const used = { turns: 0, cost_usd: 0 };
const denied = [];
const session = openSession();
/** What of this part is done: the words of a turn that was interrupted must be said again. */
const turn = (session.turns[plan.part] ??= { done: 0 });

note(plan.order, { prompt: prompt.slice(0, 160), done: turn.done });
emit({ type: 'session', session_id: plan.sessionId, resumed: plan.order === 'resume' });
save();
for (const action of plan.actions.slice(0, turn.done)) repeat(action);
while (turn.done < plan.actions.length) {
  const action = plan.actions[turn.done];
  note('step', { number: turn.done, action: Object.keys(action)[0] });
  await act(action);
  finishAction();
}
end(true, 'completed', '');

async function act(action) {
  speak(action);
  if ('tool' in action) tool(action.tool);
  else if ('deny' in action) deny(action.deny);
  else if ('write' in action) write(action.write);
  else if ('append' in action) append(action.append);
  else if ('replace' in action) replace(action.replace);
  else if ('delete' in action) rmSync(at(action.delete), { recursive: true, force: true });
  else if ('run' in action) run(action);
  else if ('tick_prd' in action) tick(action.tick_prd);
  else if ('wait' in action) await pause(action.wait * 1_000);
  else if ('wait_for' in action) await appearanceOf(at(action.wait_for));
  else if ('cost' in action) use(action.model, { cost_usd: action.cost });
  else if ('tokens' in action) useTokens(action);
  else if ('hang' in action) await pause(2 ** 31 - 1);
  else if ('ignore_sigterm' in action) ignoreSigterm();
  else if ('lose_session' in action) loseSession();
  else endBy(action);
}

// Said again without a number: words count as a turn only once.
function repeat(action) {
  const words = wordsOf(action);
  if (words !== undefined) emit({ type: 'text', text: words });
  if ('ignore_sigterm' in action) ignoreSigterm();
}

function ignoreSigterm() {
  process.on('SIGTERM', () => {});
}

// These end the turn once: a session that is continued goes on behind them.
function endBy(action) {
  if ('exit' in action) {
    finishAction();
    note('end', { exit: action.exit });
    process.exit(action.exit);
  }
  if ('limit' in action) {
    const resetsAt = action.limit === true ? {} : { resets_at: action.limit };
    finishAction();
    emit({ type: 'limit', ...resetsAt });
    end(false, 'limit', 'usage limit reached');
  }
  for (const [name, code] of [
    ['fail', 'failed'],
    ['auth', 'auth'],
    ['transient', 'transient'],
    ['max_turns', 'max-turns'],
  ]) {
    if (!(name in action)) continue;
    finishAction();
    end(false, code, action[name] === true ? 'the turns are used up' : action[name]);
  }
}

function speak(action) {
  const words = wordsOf(action);
  if (words !== undefined) say(words);
}

function wordsOf(action) {
  if ('say' in action) return action.say;
  if ('report' in action) return `<${plan.reportTag}>\n${action.report}\n</${plan.reportTag}>`;
  return 'result' in action ? resultTag(action.result) : undefined;
}

function run({ run: command, on_failure: onFailure }) {
  const { status, signal, stdout, stderr } = spawnSync('/bin/sh', ['-c', command], {
    cwd: plan.workspace,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 1 << 26,
  });
  tool('Bash', {
    command,
    exit: status ?? signal,
    output: `${stdout}${stderr}`.slice(-OUTPUT_CHARACTERS),
  });
  if (status === 0) return;
  finishAction();
  if (onFailure === undefined) end(false, 'failed', `\`${command}\` failed (${status ?? signal})`);
  say(resultTag(onFailure));
  end(true, 'completed', '');
}

function write({ path, content }) {
  tool('Write', { path });
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), content);
}

function append({ path, content }) {
  tool('Edit', { path });
  mkdirSync(dirname(at(path)), { recursive: true });
  appendFileSync(at(path), content);
}

function replace({ path, find, with: replacement }) {
  tool('Edit', { path });
  const text = existsSync(at(path)) ? readFileSync(at(path), 'utf8') : '';
  if (text.includes(find))
    return writeFileSync(
      at(path),
      text.replace(find, () => replacement),
    );
  finishAction();
  end(false, 'failed', `${path} does not contain what is to be replaced: ${find}`);
}

function tick(count) {
  tool('Edit', { path: plan.prd });
  let left = count === 'all' ? Infinity : count;
  const text = readFileSync(plan.prd, 'utf8');
  const ticked = text.replace(/^(\s*[-*] )\[ \]/gm, (whole, bullet) =>
    left-- > 0 ? `${bullet}[x]` : whole,
  );
  writeFileSync(plan.prd, ticked);
}

async function appearanceOf(file) {
  while (!existsSync(file)) await pause(LOOK_EVERY_MS);
}

function say(text) {
  used.turns += 1;
  emit({ type: 'text', text, turn: used.turns });
}

function tool(name, input = {}) {
  used.turns += 1;
  emit({ type: 'tool', name, turn: used.turns, ...input });
}

function deny(name) {
  denied.push(name);
  tool(name, { exit: 'refused' });
}

function useTokens({ model, tokens }) {
  use(model, {
    input_tokens: tokens.input,
    output_tokens: tokens.output,
    cache_read_tokens: tokens.cache_read ?? 0,
    cache_write_tokens: tokens.cache_write ?? 0,
  });
}

function use(model = 'script', share) {
  const all = {
    input_tokens: 0,
    output_tokens: 0,
    cache_read_tokens: 0,
    cache_write_tokens: 0,
    cost_usd: 0,
    ...share,
  };
  used.cost_usd += all.cost_usd;
  emit({ type: 'usage', model, ...all });
}

function end(ok, code, message) {
  note('end', { ok, code });
  emit({ type: 'end', ok, code, message, ...used, ...(denied.length > 0 && { denied }) });
  process.exit(ok ? 0 : 1);
}

function resultTag(result) {
  return `<${plan.resultTag}>${result}</${plan.resultTag}>`;
}

function at(path) {
  return resolve(plan.workspace, path);
}

function openSession() {
  if (plan.order === 'start') {
    if (existsSync(plan.sessionFile)) refuse(`session ${plan.sessionId} is already in use`);
    return { id: plan.sessionId, turns: {} };
  }
  const found = readSession();
  if (!found || found.lost) refuse(`there is no session ${plan.sessionId}`);
  return found;
}

function readSession() {
  try {
    return JSON.parse(readFileSync(plan.sessionFile, 'utf8'));
  } catch {
    return undefined;
  }
}

// Once in an iteration: the session that takes the place of the lost one is not lost again.
function loseSession() {
  const mark = join(dirname(plan.sessionFile), `${plan.part.replaceAll('/', '-')}.lost`);
  if (existsSync(mark)) return;
  session.lost = true;
  save();
  writeFileSync(mark, '');
}

function refuse(message) {
  console.error(message);
  process.exit(1);
}

function finishAction() {
  turn.done += 1;
  save();
}

function save() {
  mkdirSync(dirname(plan.sessionFile), { recursive: true });
  const beside = `${plan.sessionFile}.${process.pid}.new`;
  writeFileSync(beside, JSON.stringify(session));
  renameSync(beside, plan.sessionFile);
}

function emit(event) {
  writeSync(1, `${JSON.stringify(event)}\n`);
}

// One write per line, at the end of the file: several agents may write to one ledger.
function note(event, more) {
  if (!plan.ledger) return;
  const { sessionId, key, taskId, stepId } = plan;
  const entry = {
    event,
    pid: process.pid,
    time: new Date().toISOString(),
    session: sessionId,
    key,
    task: taskId,
    step: stepId,
    ...more,
  };
  appendFileSync(plan.ledger, `${JSON.stringify(entry)}\n`);
}
