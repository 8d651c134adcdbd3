/** Network data in the verdict. It adds nothing to the score and leaves evidence_state alone. */
export interface NetworkSignals {
  readonly usageType: string | undefined;
  readonly hosting: boolean;
  readonly mobile: boolean;
  readonly crawler: boolean;
  /** Published private-relay range: never vpn evidence, share tier T3. */
  readonly relay: boolean;
}
