// A file of its own has a worker of its own, and its worker a server.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { platenFixture } from 'platen/fixture';

const platen = platenFixture({
  before: beforeAll,
  after: afterAll,
  input: { preset: 'starter', seed: 7 },
  prepare: sandbox => sandbox.client.advanceTime(),
});

const day = async ({ client }) => (await client.getSandbox()).clock.day_number;

test('a test begins where the sandbox was prepared', async () => {
  expect(await day(await platen.fork())).toBe(1);
});

test('a test moves its own clock alone', async () => {
  const fork = await platen.fork();
  await fork.client.advanceTime();
  expect(await day(fork)).toBe(2);
  expect(await day(await platen.fork())).toBe(1);
});

test('a test can begin at a checkpoint', async () => {
  expect(await day(await platen.fork({ checkpoint: 'start' }))).toBe(0);
});
