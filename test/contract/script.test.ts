import { describe } from '@jest/globals';
import { backendContract } from './backend-contract.ts';
import { withScriptStage } from './script-stage.ts';

describe('the script backend', () => backendContract(withScriptStage));
