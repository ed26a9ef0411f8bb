import { builtinModules } from 'node:module';
import js from '@eslint/js';
import tseslint from 'typescript-eslint';

const node = builtinModules.flatMap((name) => [name, `node:${name}`]);
const WORKFLOW_FOREIGN = [
  ...node,
  'zod',
  'execa',
  'simple-git',
  'gray-matter',
  'yaml',
  '@temporalio/activity',
  '@temporalio/client',
  '@temporalio/worker',
];

/** Import rules of docs/architecture.md: packages by `paths`, our own folders by `patterns`. */
const mayNotImport = (packages, folders, message) => ({
  '@typescript-eslint/no-restricted-imports': [
    'error',
    {
      paths: packages.map((name) => ({ name, message })),
      patterns: folders.map(({ regex, allowTypeImports = false }) => ({
        regex,
        allowTypeImports,
        message,
      })),
    },
  ],
});
const folder = (names) => ({ regex: `^(\\.\\./)+(${names})/` });

export default tseslint.config(
  {
    ignores: [
      'dist/**',
      'dist.*/**',
      '.cache/**',
      'node_modules/**',
      'coverage/**',
      'test/fixtures/**',
      'test/replay/histories/**',
    ],
  },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [...tseslint.configs.recommendedTypeChecked],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      // A parameter that a caller's type asks for, and a property that is left out of the rest.
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      'max-lines': ['error', { max: 300 }],
    },
  },
  { files: ['test/**/*.ts'], rules: { 'max-lines': ['error', { max: 400 }] } },
  {
    files: ['**/*.mjs'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        URL: 'readonly',
        Buffer: 'readonly',
        setTimeout: 'readonly',
        setInterval: 'readonly',
        clearInterval: 'readonly',
        clearTimeout: 'readonly',
        fetch: 'readonly',
        AbortSignal: 'readonly',
        performance: 'readonly',
      },
    },
    rules: { 'max-lines': ['error', { max: 300 }] },
  },
  {
    files: ['workflows/domain/**/*.ts'],
    rules: {
      ...mayNotImport(
        [],
        [{ regex: '^(?!\\./)' }],
        'domain is pure: it imports its own files only',
      ),
      'no-restricted-globals': [
        'error',
        'Date',
        'process',
        'console',
        'setTimeout',
        'setInterval',
        'fetch',
      ],
      'no-restricted-properties': ['error', { object: 'Math', property: 'random' }],
    },
  },
  {
    files: ['workflows/*.ts'],
    rules: mayNotImport(
      WORKFLOW_FOREIGN,
      [folder('client|workers|config'), { ...folder('activities'), allowTypeImports: true }],
      'workflows decide: no effects, parsers or clients in workflow code',
    ),
  },
  {
    files: ['activities/**/*.ts'],
    rules: mayNotImport(
      ['@temporalio/workflow', '@temporalio/worker'],
      [folder('client|workers'), { regex: '^(\\.\\./)+workflows/(?!domain/)' }],
      'activities act: they know the domain and config, not workflows, workers or clients',
    ),
  },
  {
    files: ['config/**/*.ts'],
    rules: mayNotImport(
      [
        '@temporalio/workflow',
        '@temporalio/worker',
        '@temporalio/client',
        '@temporalio/activity',
        'execa',
        'simple-git',
      ],
      [folder('client|workers|activities'), { regex: '^(\\.\\./)+workflows/(?!domain/)' }],
      'config knows: formats and defaults, no effects beyond reading',
    ),
  },
  {
    files: ['workers/**/*.ts'],
    rules: mayNotImport([], [folder('client')], 'workers run: they never import the client'),
  },
  {
    files: ['client/**/*.ts'],
    rules: mayNotImport(
      ['@temporalio/workflow', '@temporalio/worker', '@temporalio/activity', 'execa', 'simple-git'],
      [folder('activities|workers'), { regex: '^(\\.\\./)+workflows/(?!domain/|contract\\.ts)' }],
      'the client asks through workflows/contract.ts; only hosting.ts and the server commands reach workers',
    ),
  },
  {
    files: ['client/hosting.ts', 'client/commands/{run,server,demo,doctor}.ts'],
    rules: mayNotImport(
      ['@temporalio/workflow', '@temporalio/worker', '@temporalio/activity'],
      [folder('activities'), { regex: '^(\\.\\./)+workflows/(?!domain/|contract\\.ts)' }],
      'these commands may reach workers/, nothing deeper',
    ),
  },
);
