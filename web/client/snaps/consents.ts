import { domainChoices } from '../miniapps/domain-choices.ts'

/** Which hosts of snaps learn who presses a button. */
export const snapConsents = domainChoices<true>('rookery.snaps')
