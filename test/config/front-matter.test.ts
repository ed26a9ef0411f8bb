import { describe, expect, it } from '@jest/globals';
import { readFrontMatter } from '../../config/front-matter.ts';

const read = (text: string) => {
  const { data, body, bodyLine, problems } = readFrontMatter(text);
  return { data, body, bodyLine, problems };
};

describe('readFrontMatter', () => {
  it('splits head and body and knows their lines', () => {
    const front = readFrontMatter('---\nmode: once\nlist: [a, b]\n---\n\nBody\n');
    expect(front.data).toEqual({ mode: 'once', list: ['a', 'b'] });
    expect([front.body, front.bodyLine]).toEqual(['\nBody\n', 5]);
    expect([front.lineOf('list'), front.lineOf('absent')]).toEqual([3, undefined]);
  });

  it('reads CRLF lines and a byte order mark', () => {
    const front = readFrontMatter('\uFEFF---\r\na: 1\r\nb: 2\r\n---\r\nBody\r\n');
    expect(front.data).toEqual({ a: 1, b: 2 });
    expect([front.body, front.bodyLine, front.lineOf('b')]).toEqual(['Body\r\n', 5, 3]);
  });

  it('keeps a date as the text that stands there', () => {
    expect(read('---\nday: 2026-01-02\n---\n').data).toEqual({ day: '2026-01-02' });
  });

  it('takes a value that begins with a variable as text', () => {
    const { data, problems } = read("---\npath: {{ralph_dir}}/it's.md\n---\n");
    expect({ data, problems }).toEqual({ data: { path: "{{ralph_dir}}/it's.md" }, problems: [] });
  });

  it.each(['js', 'javascript', 'json', 'toml', 'coffee'])(
    'refuses a head in %s and executes nothing',
    (language) => {
      const { data, problems } = read(
        `---${language}\n{ a: globalThis.evaluated = true }\n---\nBody\n`,
      );
      expect(data).toEqual({});
      expect(problems).toMatchObject([{ line: 1 }]);
      expect(problems[0]?.message).toContain('front matter is YAML');
      expect(globalThis).not.toHaveProperty('evaluated');
    },
  );

  it('tells the same faults the second time', () => {
    const broken = '---\na: "x\n---\nBody\n';
    const first = read(broken);
    expect(first.problems).not.toEqual([]);
    expect(read(broken)).toEqual(first);
  });

  it('does not leak a changed value into the next reading', () => {
    const text = '---\nlist: [a]\n---\n';
    (read(text).data['list'] as string[]).push('b');
    expect(read(text).data).toEqual({ list: ['a'] });
  });

  it.each([
    ['no front matter', 'Just text\n', 1, 'there is no front matter'],
    ['an empty file', '', 1, 'there is no front matter'],
    ['a head that is never closed', '---\na: 1\n', 1, 'never closed'],
    ['a head that is a list', '---\n- a\n---\n', 2, 'a list of fields'],
    ['a colon in plain text', '---\na: 1\nb: c: d\n---\n', 3, 'needs quotes'],
    ['a field that stands twice', '---\na: 1\na: 2\n---\n', 3, 'the same field stands twice'],
    ['a tab', '---\na:\n\t- b\n---\n', 3, 'indent with blanks'],
    ['a colon without a blank', '---\na:b\nc: 1\n---\n', 2, 'with a blank after the colon'],
    ['a sign before a value', '---\na: @b\n---\n', 2, 'needs quotes'],
  ])('names the line of %s', (_title, text, line, message) => {
    const { problems } = read(text);
    expect(problems).toMatchObject([{ line }]);
    expect(problems[0]?.message).toContain(message);
  });

  it.each(['a: 1\na: 2', 'a:\n\t- b', 'a: [b, c', 'a: "b'])(
    'says nothing of quotes where they do not help: %j',
    (head) => {
      expect(read(`---\n${head}\n---\n`).problems[0]?.message).not.toContain('needs quotes');
    },
  );
});
