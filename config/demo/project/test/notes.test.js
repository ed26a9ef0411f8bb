import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createNotes } from '../src/notes.js';

test('keeps notes in the order in which they were added', () => {
  const notes = createNotes();
  notes.add('milk');
  notes.add('bread');
  assert.deepEqual(
    notes.all().map((note) => note.text),
    ['milk', 'bread'],
  );
});
