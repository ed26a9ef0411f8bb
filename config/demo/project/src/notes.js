/** Makes an empty list of notes. */
export function createNotes() {
  const notes = [];
  return {
    add: (text) => notes.push({ id: notes.length + 1, text }),
    all: () => [...notes],
  };
}
