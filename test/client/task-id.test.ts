import { describe, expect, it } from '@jest/globals';
import { resolveTaskId } from '../../client/task-id.ts';

const IDS = ['AB-1', 'AB-12', 'LOGIN-3', 'login-40'];

describe('a part of an id', () => {
  it.each([
    ['AB-12', 'AB-12'],
    ['ab-12', 'AB-12'],
    ['12', 'AB-12'],
    ['gin-3', 'LOGIN-3'],
    ['40', 'login-40'],
    // A whole id is meant even where it is a part of another.
    ['AB-1', 'AB-1'],
  ])('%s means %s (#5)', (wanted, id) => {
    expect(resolveTaskId(wanted, IDS)).toBe(id);
  });

  it.each([
    ['XY', 'No task matches "XY".'],
    ['AB', '"AB" matches several tasks: AB-1, AB-12.'],
    ['login', '"login" matches several tasks: LOGIN-3, login-40.'],
  ])('%s is refused (#5)', (wanted, message) => {
    expect(() => resolveTaskId(wanted, IDS)).toThrow(
      expect.objectContaining({ code: 'TASK_UNKNOWN', exitCode: 2, message }),
    );
  });
});
