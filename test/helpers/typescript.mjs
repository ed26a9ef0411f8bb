import { register } from 'node:module';

// `node --import <this file> child.mjs`: lets a child process of a test import our sources as they are.
register('./typescript-hooks.mjs', import.meta.url);
