export const WATCHED_CHANGES = ['state', 'level'] as const;
export type WatchedChange = (typeof WATCHED_CHANGES)[number];

export const DELIVERY_STATES = ['waiting', 'delivered', 'failed'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];
