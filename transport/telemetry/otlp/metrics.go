package otlp

import (
	"context"
	"math"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"google.golang.org/protobuf/encoding/protowire"
)

// A metrics exporter sends metrics.
type metrics struct{ *client }

// NewMetrics returns an exporter of metrics to a target. Nothing is sent yet. The SDK calls it
// from one goroutine at a time.
func NewMetrics(to Target) metric.Exporter { return metrics{newClient(to)} }

// Temporality implements [metric.Exporter]: all sums are cumulative, as in Prometheus. Then an
// export that is lost loses no counts.
func (metrics) Temporality(metric.InstrumentKind) metricdata.Temporality {
	return metricdata.CumulativeTemporality
}

// Aggregation implements [metric.Exporter], with the choices of the specification.
func (metrics) Aggregation(kind metric.InstrumentKind) metric.Aggregation {
	return metric.DefaultAggregationSelector(kind)
}

// Export implements [metric.Exporter].
func (x metrics) Export(ctx context.Context, data *metricdata.ResourceMetrics) error {
	if len(data.ScopeMetrics) == 0 {
		return nil
	}
	_, err := x.post(ctx, metricsData(data))
	return err
}

// ForceFlush implements [metric.Exporter]; nothing waits.
func (metrics) ForceFlush(context.Context) error { return nil }

// Shutdown implements [metric.Exporter].
func (x metrics) Shutdown(context.Context) error {
	x.close()
	return nil
}

// metricsData encodes an ExportMetricsServiceRequest
// (collector/metrics/v1/metrics_service.proto).
//
//	ExportMetricsServiceRequest  resource_metrics 1
//	ResourceMetrics              resource 1, scope_metrics 2, schema_url 3
//	ScopeMetrics                 scope 1, metrics 2, schema_url 3
func metricsData(data *metricdata.ResourceMetrics) (m message) {
	var resourced message
	resourced.bytes(1, resourceOf(data.Resource))
	for _, scope := range data.ScopeMetrics {
		var scoped message
		scoped.bytes(1, scopeOf(scope.Scope))
		for _, one := range scope.Metrics {
			scoped.bytes(2, metricOf(one))
		}
		scoped.text(3, scope.Scope.SchemaURL)
		resourced.bytes(2, scoped)
	}
	resourced.text(3, data.Resource.SchemaURL())
	m.bytes(1, resourced)
	return m
}

// metricOf encodes a Metric (metrics/v1/metrics.proto). The kind of its data is the number of
// the field that holds it. Exponential histograms (10), which nothing here makes, are left
// without points.
//
//	name 1, description 2, unit 3, gauge 5, sum 7, histogram 9, summary 11
func metricOf(one metricdata.Metrics) (m message) {
	m.text(1, one.Name)
	m.text(2, one.Description)
	m.text(3, one.Unit)
	switch d := one.Data.(type) {
	case metricdata.Gauge[int64]:
		m.bytes(5, gaugeOf(d, appendInt))
	case metricdata.Gauge[float64]:
		m.bytes(5, gaugeOf(d, appendFloat))
	case metricdata.Sum[int64]:
		m.bytes(7, sumOf(d, appendInt))
	case metricdata.Sum[float64]:
		m.bytes(7, sumOf(d, appendFloat))
	case metricdata.Histogram[int64]:
		m.bytes(9, histogramOf(d))
	case metricdata.Histogram[float64]:
		m.bytes(9, histogramOf(d))
	case metricdata.Summary:
		m.bytes(11, summaryOf(d))
	}
	return m
}

// appendInt and appendFloat append the value of a NumberDataPoint.
func appendInt(m *message, v int64)     { m.fixed64(6, uint64(v)) } // two's complement is the encoding
func appendFloat(m *message, v float64) { m.double(4, v) }

// gaugeOf encodes a Gauge: data_points 1.
func gaugeOf[N int64 | float64](g metricdata.Gauge[N], value func(*message, N)) (m message) {
	for _, p := range g.DataPoints {
		m.bytes(1, numberOf(p, value))
	}
	return m
}

// sumOf encodes a Sum: data_points 1, aggregation_temporality 2, is_monotonic 3.
func sumOf[N int64 | float64](s metricdata.Sum[N], value func(*message, N)) (m message) {
	for _, p := range s.DataPoints {
		m.bytes(1, numberOf(p, value))
	}
	m.temporality(2, s.Temporality)
	m.flag(3, s.IsMonotonic)
	return m
}

// temporality appends an AggregationTemporality: 1 is delta, 2 cumulative.
func (m *message) temporality(field protowire.Number, t metricdata.Temporality) {
	switch t {
	case metricdata.DeltaTemporality:
		m.varint(field, 1)
	case metricdata.CumulativeTemporality:
		m.varint(field, 2)
	}
}

// numberOf encodes a NumberDataPoint; value appends its value, whose field depends on the
// type.
//
//	start_time_unix_nano 2, time_unix_nano 3, as_double 4 or as_int 6, attributes 7
func numberOf[N int64 | float64](p metricdata.DataPoint[N], value func(*message, N)) (m message) {
	m.time(2, p.StartTime)
	m.time(3, p.Time)
	value(&m, p.Value)
	m.set(7, p.Attributes)
	return m
}

// set appends the attributes of a point, in the order of their keys.
func (m *message) set(field protowire.Number, s attribute.Set) { m.attributes(field, s.ToSlice()) }

// histogramOf encodes a Histogram: data_points 1, aggregation_temporality 2. Its bounds are
// one fewer than its counts: the last count is of all values beyond the last bound.
//
//	HistogramDataPoint  start_time_unix_nano 2, time_unix_nano 3, count 4, sum 5,
//	                    bucket_counts 6, explicit_bounds 7, attributes 9, min 11, max 12
func histogramOf[N int64 | float64](h metricdata.Histogram[N]) (m message) {
	for _, p := range h.DataPoints {
		var point message
		point.time(2, p.StartTime)
		point.time(3, p.Time)
		point.fixed64(4, p.Count)
		point.double(5, float64(p.Sum))
		point.packed(6, p.BucketCounts)
		bounds := make([]uint64, len(p.Bounds))
		for i, b := range p.Bounds {
			bounds[i] = math.Float64bits(b)
		}
		point.packed(7, bounds)
		point.set(9, p.Attributes)
		if v, ok := p.Min.Value(); ok {
			point.double(11, float64(v))
		}
		if v, ok := p.Max.Value(); ok {
			point.double(12, float64(v))
		}
		m.bytes(1, point)
	}
	m.temporality(2, h.Temporality)
	return m
}

// summaryOf encodes a Summary, which only metrics of Prometheus are: data_points 1.
//
//	SummaryDataPoint  start_time_unix_nano 2, time_unix_nano 3, count 4, sum 5,
//	                  quantile_values 6 (quantile 1, value 2), attributes 7
func summaryOf(s metricdata.Summary) (m message) {
	for _, p := range s.DataPoints {
		var point message
		point.time(2, p.StartTime)
		point.time(3, p.Time)
		point.fixed64(4, p.Count)
		point.double(5, p.Sum)
		for _, q := range p.QuantileValues {
			var pair message
			pair.double(1, q.Quantile)
			pair.double(2, q.Value)
			point.bytes(6, pair)
		}
		point.set(7, p.Attributes)
		m.bytes(1, point)
	}
	return m
}
