import type { Steered } from './contract.ts';

/** How many fates of guidance are remembered for who asks. */
const REMEMBERED = 50;

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

  get waiting(): number {
    return this.pending.length;
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
