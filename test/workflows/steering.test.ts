import { describe, expect, it } from '@jest/globals';
import { joinGuidance, Steering } from '../../workflows/steering.ts';

const long = (letter: string) => letter.repeat(16_000);

describe('guidance', () => {
  it('is told word for word, the supervisor first', () => {
    expect(joinGuidance(' a\n', ['b ', 'c'])).toBe(' a\n\n\nb \n\nc');
  });

  it('leaves the oldest out whole where it gets too much, and cuts nothing', () => {
    const told = [long('a'), long('b'), long('c')];
    expect(joinGuidance('first', told)).toBe(`first\n\n${long('b')}\n\n${long('c')}`);
  });

  it('is not taken when more waits than one iteration is told', () => {
    const steering = new Steering();
    steering.add(long('a'));
    expect(steering.whyNoMore(long('b'))).toBeUndefined();
    steering.add(long('b'));
    expect(steering.whyNoMore('c')).toContain('32000 characters of guidance wait');
    expect(steering.deliver('execution, iteration 2')).toEqual([long('a'), long('b')]);
    expect(steering.whyNoMore('c')).toBeUndefined();
  });

  it('has a fate that can be asked for, once it has one', () => {
    const steering = new Steering();
    const heard = steering.add('a');
    expect(steering.fateOf(heard)).toBeUndefined();
    steering.deliver('execution, iteration 1');
    const late = steering.add('b');
    steering.drop('the task has ended');
    expect(steering.fateOf(heard)).toEqual({ delivered: true, where: 'execution, iteration 1' });
    expect(steering.fateOf(late)).toEqual({ delivered: false, where: 'the task has ended' });
  });
});
