import type { Steered } from './contract.ts';

/** How many fates of guidance are remembered for who asks. */
const REMEMBERED = 50;

/** What may wait for one iteration, in characters: guidance stands in the history of every later turn. */
const MOST_WAITING = 32_000;
const MOST_PIECES = 10;

/** All that an agent is told, each piece word for word: where it gets too much, the oldest is left out whole. */
export function joinGuidance(ofSupervisor: string, told: readonly string[]): string {
  const kept: string[] = [];
  let room = MOST_WAITING;
  for (const text of told.toReversed()) {
    room -= text.length;
    if (room < 0) break;
    kept.unshift(text);
  }
  return [ofSupervisor, ...kept].filter(Boolean).join('\n\n');
}

/** Keeps a person's guidance until the next iteration of an agent begins with it. */
export class Steering {
  private given = 0;
  private pending: { number: number; text: string }[] = [];
  private readonly fates = new Map<number, Steered>();

  /** Takes guidance; the number asks for its fate. */
  add(text: string): number {
    this.given += 1;
    this.pending.push({ number: this.given, text });
    return this.given;
  }

  /** What became of guidance; undefined while it waits. */
  fateOf(number: number): Steered | undefined {
    return this.fates.get(number);
  }

  /** Why this cannot wait for the next iteration too; undefined when it can. */
  whyNoMore(text: string): string | undefined {
    const { length } = this.pending;
    if (length >= MOST_PIECES) return `${length} words wait for the next iteration already`;
    const waiting = this.pending.reduce((sum, each) => sum + each.text.length, 0);
    return waiting + text.length > MOST_WAITING
      ? `${waiting} characters of guidance wait for the next iteration already, and it takes ${MOST_WAITING}`
      : undefined;
  }

  /** Hands over what waits; called at the start of an iteration. */
  deliver(where: string): string[] {
    return this.settle({ delivered: true, where });
  }

  /** No agent comes any more. */
  drop(why: string): void {
    this.settle({ delivered: false, where: why });
  }

  private settle(fate: Steered): string[] {
    const { pending } = this;
    this.pending = [];
    for (const { number } of pending) {
      this.fates.set(number, fate);
      this.fates.delete(number - REMEMBERED);
    }
    return pending.map(({ text }) => text);
  }
}
