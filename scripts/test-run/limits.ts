import { totalmem } from 'node:os'
import { LONG } from '../../test/effort.ts'

const MINUTE_MS = 60_000

/** A test file that takes longer hangs: about twenty times what the longest takes on a quiet machine. */
export const FILE_LIMIT_MS = (LONG ? 60 : 10) * MINUTE_MS
/** A process whose file takes longer does not even notice that the file has reached its limit. */
export const PROCESS_LIMIT_MS = FILE_LIMIT_MS + 5 * MINUTE_MS
export const RUN_LIMIT_MS = (LONG ? 600 : 45) * MINUTE_MS
/** What tests leave open may end by itself within this time. */
export const END_LIMIT_MS = 20_000
/** The exit code of a process that something kept open after its last test. */
export const STILL_OPEN = 97
/**
 * A process that is larger after a file runs no other, so that all processes together fit into memory. Another one
 * needs two seconds of processor time before its tests are as fast.
 */
export const MAX_RESIDENT_BYTES = Math.max(1024 ** 3, totalmem() / 16)
