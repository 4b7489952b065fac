import { workerData } from 'node:worker_threads'
import { joinStorage } from '../../kernel/storage/storage.ts'
import { type BackupRequest, makeBackup } from './copy.ts'

// One backup in a thread of its own: copying and checking gigabytes block no request.

await makeBackup(workerData as BackupRequest, joinStorage)
