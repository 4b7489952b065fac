import { unixSeconds } from '../../kernel/base/clock.ts'
import { moderationEvents } from '../../kernel/hub/moderation-events.ts'
import type { Module } from '../../kernel/module.ts'
import { networkName } from '../../kernel/protocol/network-name.ts'
import { COPY_TERMS, type Server } from '../../kernel/server.ts'
import { encodeStored } from '../../kernel/storage/messages/message-rows.ts'
import type { StorageConfig } from '../../kernel/storage/settings.ts'
import { ROLES_BY_INVITE } from '../invites/port.ts'
import { ASKED_CONSENT, JOINS_WAITING } from '../joining/port.ts'
import { MAILS } from '../mail/port.ts'
import { MEDIA_OF_USERS } from '../media/port.ts'
import { POLLS } from '../polls/port.ts'
import { PUSHES } from '../push/port.ts'
import { REGISTRY } from '../registry/port.ts'
import { Answering } from './answering.ts'
import { Appeals } from './appeals.ts'
import { erasureJob } from './erasures.ts'
import { MemberMails, moderators } from './mails.ts'
import { memberRoutes } from './member-routes.ts'
import { createModerationMetrics } from './metrics.ts'
import { Moderation } from './moderation.ts'
import { operatorModerationRoutes } from './operator-routes.ts'
import { ownerRoutes } from './owner-routes.ts'
import { MODERATORS, STAFF_PLACES } from './port.ts'
import { reportRoutes } from './report-routes.ts'
import { createReports } from './reports.ts'
import { heldCastsJob } from './screening/held-casts.ts'
import { Staff } from './staff.ts'
import { staffRoutes } from './staff-routes.ts'
import { MAX_STAFF, staffRows } from './tables/staff.ts'
import { pushReportsJob } from './telling/push-reports.ts'

/** Suspending, hiding and erasing, by the operator and by account owners; reports of users. */
export function serve(
  server: Server<Pick<StorageConfig, 'network'> & { readonly publicUrl: string | undefined }>,
): Module {
  const { config, storage, clock, mode, metrics, jobs, logger, modules, find, offer } = server
  const { accounts, platform, verifiers, domains } = server
  const { actorOf, callerOf } = platform
  const media = find(MEDIA_OF_USERS)
  const registry = find(REGISTRY)
  const polls = find(POLLS)
  const now = () => unixSeconds(clock)
  const mails = new MemberMails(
    () => find(MAILS),
    () => clock.now(),
  )
  offer(MODERATORS, moderators)
  const moderation = new Moderation({
    mails,
    storage,
    clock,
    metrics: createModerationMetrics(metrics, storage),
    runJob: jobs.run,
    onError: server.onError,
    events: {
      ...moderationEvents,
      announce: async (tx, { id }) => find(PUSHES)?.announce(tx, id),
    },
    takeName: registry && ((held, record) => registry.takeBack(held, record)),
    removeFile: media && ((url, record) => media.removeFile(url, record)),
    polls,
  })
  const answering = new Answering({
    ...{ storage, moderation, now },
    ...{ runJob: jobs.run, onError: server.onError },
  })
  const reports = createReports({ storage, moderation, answering, polls, now })
  const erasers = () => modules.flatMap(({ erase }) => erase ?? [])
  const appeals = new Appeals(storage, moderation, now)
  const staff = new Staff({
    ...{ storage, clock, mode, moderation, callerOf, log: logger },
    takeRoles: find(ROLES_BY_INVITE),
  })
  server.offer(STAFF_PLACES, async ({ of }) => MAX_STAFF - (await of(staffRows).count()))
  const operatorRoutes = operatorModerationRoutes({
    ...{ moderation, reports, appeals, staff, polls },
    ...{ storage, now, encode: encodeStored, isMirror: find(COPY_TERMS) !== undefined },
    publicUrl: config.publicUrl,
  })
  // Calls of other features that accounts with a role may use, too; also of those that are made later.
  const staffCalls = () => modules.flatMap((module) => module.operatorRoutes ?? [])
  return {
    name: 'moderation',
    jobs: [
      moderation.job,
      moderation.suspensionJob,
      answering.job,
      heldCastsJob({ storage, now }),
      pushReportsJob({ storage, pushes: () => find(PUSHES), nowMs: () => clock.now() }),
      erasureJob({ storage, erasers, log: logger }),
    ],
    routes: {
      get platform() {
        return [
          ...reportRoutes(reports, actorOf),
          ...memberRoutes({
            ...{ storage, appeals, callerOf, now },
            joinsWaiting: async (reader) => (await find(JOINS_WAITING)?.(reader)) ?? 0,
            askedConsent: async (reader, fid) => find(ASKED_CONSENT)?.(reader, fid),
          }),
          ...staffRoutes(staffCalls(), staff, { storage, find }),
        ]
      },
      accounts: ownerRoutes({
        ...{ accounts, moderation, storage, now, find },
        verify: verifiers.verify,
        domain: domains.idRegistry,
        network: networkName(config.network),
        encode: encodeStored,
      }),
    },
    operatorRoutes,
    onMerged: (tx, _, events) => staff.onMerged(tx, events),
  }
}
