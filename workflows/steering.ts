import type { Steered } from './contract.ts';

/** Keeps a person's guidance until the next iteration of an agent begins with it. */
export class Steering {
  private pending: { text: string; tell: (fate: Steered) => void }[] = [];

  /** Takes guidance; answers when it was delivered, or when it never will be. */
  add(text: string): Promise<Steered> {
    return new Promise((tell) => this.pending.push({ text, tell }));
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
    for (const { tell } of pending) tell(fate);
    return pending.map(({ text }) => text);
  }
}
