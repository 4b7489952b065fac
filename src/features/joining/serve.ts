import { unixSeconds } from '../../kernel/base/clock.ts'
import { gaugeRegistrar } from '../../kernel/http/metrics.ts'
import type { Module } from '../../kernel/module.ts'
import { networkName } from '../../kernel/protocol/network-name.ts'
import { APPROVALS, type Server, type ServerStart } from '../../kernel/server.ts'
import type { StorageConfig } from '../../kernel/storage/settings.ts'
import { SERVER_FACE } from '../server-face/port.ts'
import { askedOf } from './consents.ts'
import { approvals, endRequests, forgetJob, type JoinTerms } from './join-requests.ts'
import { ASKED_CONSENT, JOINS_WAITING } from './port.ts'
import { joinQueueRoutes, joinRequestRoutes } from './request-routes.ts'
import { joiningRoutes } from './routes.ts'
import { joinRequestRows } from './tables/join-requests.ts'

export const begin = ({ offer }: ServerStart<unknown>): void => offer(APPROVALS, approvals)

/** What people agree to when they join, and who waits to be let in. */
export function serve(server: Server<Pick<StorageConfig, 'network'>>): Module {
  const { config, storage, clock, platform, ledger, verifiers, domains } = server
  const faces = server.of(SERVER_FACE)
  server.offer(ASKED_CONSENT, (reader, fid) => askedOf({ faces }, reader, fid))
  const now = () => unixSeconds(clock)
  const consents = joiningRoutes({ storage, faces, now, actorOf: platform.actorOf })
  if (!ledger) return { name: 'joining', routes: { accounts: consents } }
  const gauge = gaugeRegistrar([server.metrics])
  /** While everybody may join, or nobody, those who wait wait for no decision. */
  const areNeeded = async () => ['approval', 'invite'].includes(await ledger.signup())
  gauge(
    'rookery_join_requests',
    'People who wait to be let in; 0 while everybody may join, or nobody',
    async () => ((await areNeeded()) ? storage.of(joinRequestRows).waitingCount() : 0),
  )
  gauge(
    'rookery_join_request_age_seconds',
    'How long the person has waited who asked first to be let in; 0: nobody waits, or everybody may join, or nobody',
    async () => {
      const oldest = (await areNeeded())
        ? await storage.of(joinRequestRows).oldestWaiting()
        : undefined
      return now() - (oldest ?? now())
    },
  )
  server.offer(JOINS_WAITING, ({ of }) => of(joinRequestRows).waitingCount())
  const terms: JoinTerms = {
    ...{ storage, now, verify: verifiers.verify, domain: domains.idRegistry },
    network: networkName(config.network),
    signup: ledger.signup,
  }
  return {
    name: 'joining',
    routes: { accounts: [...consents, ...joinRequestRoutes(terms)] },
    operatorRoutes: joinQueueRoutes(terms),
    jobs: [forgetJob(terms)],
    onMerged: (tx, _, events) => endRequests(tx, events),
  }
}
