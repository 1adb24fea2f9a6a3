// Checkpoints of the feed in a file, for Node.js.
import { open, readFile, rename, rm } from 'node:fs/promises';

/**
 * Keeps in a file how far the feed has been handled. A crash leaves the old number or the new one. The file belongs
 * to one sandbox and to one program.
 */
export function fileCheckpoint(path) {
  return {
    async load() {
      let text;
      try {
        text = await readFile(path, 'utf8');
      } catch (error) {
        if (error.code === 'ENOENT') return 0;
        throw error;
      }
      const seq = /^\d+\s*$/.test(text) ? Number(text) : Number.NaN;
      if (!Number.isSafeInteger(seq)) throw new Error(`platen: ${path} holds no checkpoint`);
      return seq;
    },
    async save(seq) {
      const next = `${path}.${process.pid}`;
      try {
        const file = await open(next, 'w', 0o600);
        try {
          await file.writeFile(`${seq}\n`);
          await file.sync();
        } finally {
          await file.close();
        }
        await rename(next, path);
      } catch (error) {
        await rm(next, { force: true });
        throw error;
      }
    },
  };
}
