import { workerData } from 'node:worker_threads'
import { type CheckpointSettings, copyWhileLong } from './checkpoints.ts'

await copyWhileLong(workerData as CheckpointSettings)
