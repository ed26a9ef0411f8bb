import { jest } from '@jest/globals';

// Real processes, clocks and servers on a busy machine: a failed test is shown, and tried once more.
jest.retryTimes(1, { logErrorsBeforeRetry: true });
