import type { Checkpoint } from './platen.js';

/**
 * Keeps in a file how far the feed has been handled. A crash leaves the old number or the new one. The file belongs
 * to one sandbox and to one program.
 */
export declare function fileCheckpoint(path: string): Checkpoint;
