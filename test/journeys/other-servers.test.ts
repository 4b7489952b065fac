// Servers that are no development network with its defaults: a mirror, production with ordinary wallets, storage that ends, and
// the gRPC port behind TLS.

import { enginesOf } from '../world.ts'
import { hubWeb } from './hub-web.ts'
import { mirrored } from './mirror.ts'
import { storage } from './storage.ts'
import { wallets } from './wallets.ts'

for (const engine of enginesOf(import.meta.url)) mirrored(engine)
wallets()
storage()
hubWeb()
