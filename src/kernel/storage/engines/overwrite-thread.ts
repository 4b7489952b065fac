import { workerData } from 'node:worker_threads'
import { type OverwriteSettings, overwriteFiles } from './overwrite.ts'

await overwriteFiles(workerData as OverwriteSettings)
