/** Network data does not change the score or evidence_state. */
export interface NetworkSignals {
  readonly usageType: string | undefined;
  readonly hosting: boolean;
  readonly mobile: boolean;
  readonly crawler: boolean;
  /** Published private-relay range: never vpn evidence, share tier T3. */
  readonly relay: boolean;
}
