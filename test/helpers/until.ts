import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until something holds; fails with what was waited for. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  withinMs = 15_000,
): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`waited ${withinMs} ms in vain: ${what}`);
    await sleep(25);
  }
}
