import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { analyseDependencies } from '../../../workflows/domain/dependencies.ts';

interface Node {
  id: string;
  dependencies: string[];
}

/** Everything that waits for a task, found by walking, without the task itself. */
function waitsFor(id: string, nodes: readonly Node[]): Set<string> {
  const found = new Set<string>();
  const queue = [id];
  for (let at = queue.pop(); at !== undefined; at = queue.pop())
    for (const node of nodes)
      if (node.dependencies.includes(at) && !found.has(node.id)) {
        found.add(node.id);
        queue.push(node.id);
      }
  return found;
}

const graph = (size: number, edges: number): fc.Arbitrary<Node[]> => {
  const ids = [...Array(size).keys()].map((n) => `AB-${n + 1}`);
  const dependencies = fc.uniqueArray(fc.constantFrom(...ids, 'ZZ-1'), { maxLength: edges });
  return fc.tuple(...ids.map((id) => dependencies.map((list) => ({ id, dependencies: list }))));
};
const dependentsOf = (nodes: Node[]) => Object.fromEntries(analyseDependencies(nodes).dependents);

describe('analyseDependencies', () => {
  it.each([
    ['few tasks with many edges', graph(7, 4)],
    ['many tasks with few edges', graph(40, 1)],
    ['more tasks than bits in a word', graph(70, 2)],
  ])('counts dependents as walking does, each once: %s (#30)', (_name, nodes) => {
    fc.assert(
      fc.property(nodes, (given) => {
        const walked = given.map(({ id }) => {
          const found = waitsFor(id, given);
          found.delete(id);
          return [id, found.size];
        });
        expect(dependentsOf(given)).toEqual(Object.fromEntries(walked));
      }),
    );
  });

  it('finds exactly the tasks that wait for themselves, grouped by each other (#35)', () => {
    fc.assert(
      fc.property(graph(9, 2), (given) => {
        const reach = new Map(given.map(({ id }) => [id, waitsFor(id, given)]));
        const circular = given.map(({ id }) => id).filter((id) => reach.get(id)?.has(id));
        const { cycles } = analyseDependencies(given);
        expect(cycles.flat().sort()).toEqual(circular.sort());
        for (const members of cycles)
          for (const id of members)
            expect(
              circular.filter((other) => reach.get(id)?.has(other) && reach.get(other)?.has(id)),
            ).toEqual(members);
      }),
    );
  });

  it('says the same whatever the order of the tasks is (#34)', () => {
    const shuffled = graph(12, 2).chain((nodes) =>
      fc.tuple(fc.constant(nodes), fc.shuffledSubarray(nodes, { minLength: nodes.length })),
    );
    fc.assert(
      fc.property(shuffled, ([nodes, mixed]) => {
        expect(analyseDependencies(mixed).cycles).toEqual(analyseDependencies(nodes).cycles);
        expect(dependentsOf(mixed)).toEqual(dependentsOf(nodes));
      }),
    );
  });

  it('names only the members of a cycle, not who waits for it (#35)', () => {
    const nodes = [
      { id: 'AB-1', dependencies: ['AB-2'] },
      { id: 'AB-2', dependencies: ['AB-1'] },
      { id: 'AB-3', dependencies: ['AB-2'] },
      { id: 'AB-4', dependencies: ['AB-4'] },
      { id: 'AB-5', dependencies: ['ZZ-1'] },
    ];
    expect(analyseDependencies(nodes).cycles).toEqual([['AB-1', 'AB-2'], ['AB-4']]);
  });

  it('goes through a chain, and a circle, of ten thousand tasks (#30, #35)', () => {
    const size = 10_000;
    const chain = [...Array(size).keys()].map((n) => ({
      id: `AB-${n}`,
      dependencies: n === 0 ? [] : [`AB-${n - 1}`],
    }));
    expect(analyseDependencies(chain).dependents.get('AB-0')).toBe(size - 1);
    const circle = [{ id: 'AB-0', dependencies: [`AB-${size - 1}`] }, ...chain.slice(1)];
    const { cycles, dependents } = analyseDependencies(circle);
    expect(cycles[0]).toHaveLength(size);
    expect(dependents.get('AB-5000')).toBe(size - 1);
  });
});
