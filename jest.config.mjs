if (!process.env.NODE_OPTIONS?.includes('--experimental-vm-modules'))
  throw new Error(
    'Jest needs NODE_OPTIONS=--experimental-vm-modules; `npm run test:filter` sets it',
  );

const shared = {
  extensionsToTreatAsEsm: ['.ts'],
  testEnvironment: 'node',
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' }, module: { type: 'es6' } },
    ],
  },
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/dist\\.'],
  cacheDirectory: '<rootDir>/.cache/jest',
  setupFilesAfterEnv: ['<rootDir>/test/helpers/try-again.mjs'],
};

export default {
  // Jest knows no limit per project; a test that is meant to be quick says so itself.
  testTimeout: 150_000,
  coverageDirectory: 'coverage',
  coverageProvider: 'v8',
  coverageReporters: ['text', 'html'],
  // Nothing is left out, also not what no test loads.
  collectCoverageFrom: ['{workflows,activities,workers,client,config}/**/*.{ts,mjs}'],
  projects: [
    {
      ...shared,
      displayName: 'unit',
      testMatch: ['<rootDir>/test/**/*.test.ts'],
      testPathIgnorePatterns: ['/integration/', '/contract/', '/replay/'],
    },
    {
      ...shared,
      displayName: 'integration',
      testMatch: ['<rootDir>/test/integration/**/*.test.ts'],
      globalSetup: '<rootDir>/test/helpers/start-server.mjs',
      globalTeardown: '<rootDir>/test/helpers/stop-server.mjs',
    },
    {
      ...shared,
      displayName: 'contract',
      testMatch: ['<rootDir>/test/contract/**/*.test.ts'],
      globalSetup: '<rootDir>/test/helpers/bring-claude.mjs',
    },
    { ...shared, displayName: 'replay', testMatch: ['<rootDir>/test/replay/**/*.test.ts'] },
  ],
};
