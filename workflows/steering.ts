/** What a person wants an agent to know, and whether it was told. */
export interface Guidance {
  text: string;
  by: string;
  /** Where it was delivered, or why it never will be. */
  fate?: { delivered: boolean; where: string };
}

/** Keeps a person's guidance until the next iteration of an agent begins with it. */
export class Steering {
  private pending: Guidance[] = [];

  add(text: string, by: string): Guidance {
    const guidance: Guidance = { text, by };
    this.pending.push(guidance);
    return guidance;
  }

  /** Hands over what waits; called at the start of an iteration. */
  deliver(where: string): string[] {
    return this.settle({ delivered: true, where });
  }

  /** No agent comes any more. */
  drop(why: string): void {
    this.settle({ delivered: false, where: why });
  }

  private settle(fate: Guidance['fate']): string[] {
    const texts = this.pending.map((guidance) => {
      if (fate) guidance.fate = fate;
      return guidance.text;
    });
    this.pending = [];
    return texts;
  }
}
