import { defineConfig } from 'vitest/config';

// A loaded machine takes longer than a test may by itself. Ten tests run at once.
export default defineConfig({ test: { testTimeout: 60_000, maxConcurrency: 10 } });
