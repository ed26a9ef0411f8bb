import { describe } from '@jest/globals';
import { withScriptStage } from './script-stage.ts';
import { usageContract } from './usage-contract.ts';

describe('the figures of the script backend', () => {
  usageContract(withScriptStage, 'script');
});
