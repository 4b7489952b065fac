import { domainChoices } from '../miniapps/domain-choices.ts'

/** Which hosts of snaps learn who presses a button, and with `viewer` also who looks. */
export const snapConsents = domainChoices<true | 'viewer'>('snaps')
