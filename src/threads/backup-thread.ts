import { workerData } from 'node:worker_threads'
import { type BackupRequest, makeBackup } from '../features/backups/copy.ts'
import { joinWholeStore } from '../store.ts'

// One backup in a thread of its own: copying and checking gigabytes block no request.

await makeBackup(workerData as BackupRequest, joinWholeStore)
