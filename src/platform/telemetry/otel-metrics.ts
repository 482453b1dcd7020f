import { type HrTime, ValueType } from '@opentelemetry/api';
import { millisToHrTime } from '@opentelemetry/core';
import type { Resource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  DataPointType,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import { version } from '../version.ts';
import type { Family } from './metrics.ts';

/** Converts metrics to OpenTelemetry, under their Prometheus names. */
export function producerOf(families: () => Promise<Family[]>, resource: Resource): MetricProducer {
  const startTime = millisToHrTime(Date.now());
  return {
    collect: async () => {
      const endTime = millisToHrTime(Date.now());
      const metrics = (await families()).map((family) => metricOf(family, startTime, endTime));
      return {
        resourceMetrics: { resource, scopeMetrics: [{ scope: { name: 'drydock', version }, metrics }] },
        errors: [],
      };
    },
  };
}

function metricOf(family: Family, startTime: HrTime, endTime: HrTime): MetricData {
  const { name, help } = family;
  const said = {
    descriptor: { name, description: help, unit: unitOf(name), valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  if (family.type === 'histogram')
    return {
      ...said,
      dataPointType: DataPointType.HISTOGRAM,
      dataPoints: family.distributions.map(({ labels, bounds, buckets, sum, count }) => {
        const above = count - buckets.reduce((total, each) => total + each, 0);
        const value = { buckets: { boundaries: [...bounds], counts: [...buckets, above] }, sum, count };
        return { startTime, endTime, attributes: labels, value };
      }),
    };
  const dataPoints = family.values.map(({ labels, value }) => ({
    startTime,
    endTime,
    attributes: labels,
    value,
  }));
  // Only gauges have quantiles.
  return family.type === 'counter'
    ? { ...said, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }
    : { ...said, dataPointType: DataPointType.GAUGE, dataPoints };
}

function unitOf(name: string): string {
  return { seconds: 's', bytes: 'By' }[/_(seconds|bytes)(?:_total)?$/.exec(name)?.[1] ?? ''] ?? '1';
}
